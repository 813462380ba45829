"""The article: content, traces and figures -> prose, claims, notes, questions and goals, worked out and checked."""

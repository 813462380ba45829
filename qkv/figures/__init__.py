"""Figures: traces and strings -> one Chart a figure, which poster and table show here and Plotly in the browser."""

// Questions: checked here against what the build worked out; nothing is stored or sent. The first attempt is the one that counts.

const attempts = new Map();

function judge(question) {
  const asked = question.dataset.number;
  if (asked === undefined) {
    const chosen = question.querySelector("input:checked");
    if (!chosen) return {said: words["questions.first"]};
    const why = question.querySelector(`.answer [data-choice="${chosen.value}"]`);
    return {right: "right" in chosen.dataset, why};
  }
  const written = question.querySelector("input").value.trim().replace(",", ".").replace("\u2212", "-");
  if (!/^-?\d*\.?\d+$/.test(written)) return {said: words["questions.notnumber"]};
  const near = (value) => Math.abs(Number(written) - Number(value)) <= Number(question.dataset.tolerance) + 1e-9;
  const why = question.querySelector(".answer > p > .why");
  if (near(asked)) return {right: true, why};
  const known = Array.from(question.querySelectorAll("[data-value]")).find((item) => near(item.dataset.value));
  return {right: false, why: known && known.querySelector(".why")};
}

// a sandboxed frame without forms has no "submit"; the click it has, which Enter makes too
document.addEventListener("click", (event) => event.target.closest(".check button") && answer(event));
document.addEventListener("submit", answer);
// a verdict speaks of the answer that was checked, not of another one
document.addEventListener("input", (event) => {
  const question = event.target.closest("[data-question]");
  if (question) question.querySelector(".verdict").replaceChildren();
});

function answer(event) {
  const question = event.target.closest("[data-question]");
  if (!question) return;
  event.preventDefault();
  const {said, right, why} = judge(question), verdict = question.querySelector(".verdict");
  const explained = !said && why ? Array.from(why.childNodes, (part) => part.cloneNode(true)) : [];
  verdict.replaceChildren(said || words["questions." + (right ? "right" : "wrong")] + " ", ...explained);
  if (said) return;
  const name = question.dataset.question;
  if (attempts.has(name)) return;
  attempts.set(name, right);
  document.dispatchEvent(new CustomEvent("attention:answer", {detail: {question: name, right}}));
}

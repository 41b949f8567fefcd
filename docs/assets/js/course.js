/* "The whole program in one file" is fetched when a reader opens it: it repeats the library's source, and most readers open few.
   Without this script its link does. */
document.addEventListener("toggle", async ({ target }) => {
  const source = target.dataset?.program;
  if (!source || !target.open || target.querySelector("pre")) return;
  const code = document.createElement("code");
  const block = document.createElement("pre");
  const frame = document.createElement("div");
  frame.className = "highlight";
  frame.append(block);
  block.append(code);
  target.append(frame);
  try {
    const answer = await fetch(source);
    if (!answer.ok) throw new Error(answer.statusText);
    code.textContent = await answer.text();
  } catch {
    frame.remove(); // the link above is still there
    return;
  }
  code.id = `program-${source.split("/").pop()}`;
  const label = "Copy to clipboard";
  const copy = Object.assign(document.createElement("button"), { className: "md-code__button", title: label, type: "button" });
  copy.dataset.mdType = "copy";
  copy.dataset.clipboardTarget = `[id="${code.id}"]`;
  copy.setAttribute("aria-label", label);
  const bar = document.createElement("nav");
  bar.className = "md-code__nav";
  bar.append(copy);
  block.prepend(bar);
}, true);

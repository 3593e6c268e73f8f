// A text to work on. Everything a person or a model wrote goes through textContent; offsets are code points.

const el = (tag, className, text) => {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
};

// Cut a text (as code points) at its marks; marks do not overlap: a later one starts where an earlier one ends.
function fill(said, text, marks) {
  const points = Array.from(text);
  let at = 0;
  for (const mark of [...marks].sort((a, b) => a.start - b.start || a.end - b.end)) {
    const start = Math.max(mark.start, at);
    if (start >= mark.end) continue;
    said.append(document.createTextNode(points.slice(at, start).join("")));
    const kind = ["mask", "kept", "for", "against"].includes(mark.kind) ? mark.kind : "for";
    const node = el("mark", `mark ${kind}${mark.now ? " now" : ""}`);
    node.append(document.createTextNode(points.slice(start, mark.end).join("")));
    if (mark.note) {
      const note = el("span", "note", mark.note);
      note.dataset.skip = "1";
      node.append(note);
    }
    said.append(node);
    at = mark.end;
  }
  said.append(document.createTextNode(points.slice(at).join("")));
}

function build(root, data) {
  root.replaceChildren();
  root.lang = data.lang;
  root.setAttribute("aria-label", data.label);
  root.setAttribute("role", "document");
  root.tabIndex = 0;
  root.classList.toggle("scrolls", Boolean(data.height));
  root.style.maxHeight = data.height ? `${data.height}px` : "";
  for (const block of data.blocks) {
    const seat = ["client", "counselor"].includes(block.seat) ? block.seat : "part";
    const row = el("div", `block ${seat}`);
    if (seat !== "part") {
      const sign = el("div", "sign", block.sign);
      sign.setAttribute("aria-hidden", "true");
      row.append(sign);
    }
    const body = el("div");
    if (block.head) body.append(el("div", "head", block.head));
    const said = el("div", "said");
    said.dataset.turn = String(block.turn);
    fill(said, block.text, data.marks.filter((mark) => mark.turn === block.turn));
    body.append(said);
    row.append(body);
    root.append(row);
  }
  root.querySelector(".now")?.scrollIntoView({ block: "nearest" });
}

// Characters of `said` before (node, offset), small notes left out.
function counted(said, node, offset) {
  const range = document.createRange();
  range.selectNodeContents(said);
  range.setEnd(node, offset);
  const part = range.cloneContents();
  part.querySelectorAll("[data-skip]").forEach((note) => note.remove());
  return Array.from(part.textContent).length;
}

const saidOf = (node) => (node.nodeType === 1 ? node : node.parentElement)?.closest(".said");

function ranges(host) {
  const root = host.getRootNode();
  const selection = root.getSelection ? root.getSelection() : document.getSelection();
  if (!selection) return null;
  if (selection.getComposedRanges && root instanceof ShadowRoot) {
    const [found] = selection.getComposedRanges({ shadowRoots: [root] });
    if (found && host.contains(found.startContainer)) return found;
  }
  return selection.rangeCount ? selection.getRangeAt(0) : null;
}

// The selected stretch inside one turn, white space at its ends left out.
function selected(host) {
  const range = ranges(host);
  if (!range || !host.contains(range.startContainer) || !host.contains(range.endContainer)) return null;
  const said = saidOf(range.startContainer);
  if (!said) return null;
  const last = saidOf(range.endContainer) === said;
  let start = counted(said, range.startContainer, range.startOffset);
  let end = last ? counted(said, range.endContainer, range.endOffset) : counted(said, said, said.childNodes.length);
  const whole = said.cloneNode(true);
  whole.querySelectorAll("[data-skip]").forEach((note) => note.remove());
  const points = Array.from(whole.textContent);
  while (start < end && !points[start].trim()) start += 1;
  while (end > start && !points[end - 1].trim()) end -= 1;
  return start < end ? { turn: Number(said.dataset.turn), start, end } : null;
}

const typing = (event) =>
  event.composedPath().some((node) => node.matches?.("input, textarea, select, [contenteditable=''], [contenteditable='true']"));

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".passage");
  const shape = JSON.stringify([data.blocks, data.marks, data.lang, data.height, data.label]);
  if (root.shape !== shape) {
    const top = root.scrollTop;
    build(root, data); // only when something changed: building again would lose the selection
    root.shape = shape;
    if (!root.querySelector(".now")) root.scrollTop = top;
  }
  let before = "";
  const pick = () =>
    setTimeout(() => {
      const found = selected(root);
      const same = JSON.stringify(found);
      if (found && same !== before) setTriggerValue("picked", found);
      before = same;
    }, 30);
  const onKey = (event) => {
    const key = event.key.toLowerCase();
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || typing(event)) return;
    if (!data.keys.includes(key)) return;
    event.preventDefault();
    setTriggerValue("pressed", { key });
  };
  const onKeyUp = (event) => {
    if (event.shiftKey || event.key === "Shift") pick();
  };
  root.off?.(); // called again on every change of the data: the old listeners go first
  root.addEventListener("mouseup", pick);
  root.addEventListener("touchend", pick);
  root.addEventListener("keyup", onKeyUp);
  document.addEventListener("keydown", onKey);
  root.off = () => {
    root.removeEventListener("mouseup", pick);
    root.removeEventListener("touchend", pick);
    root.removeEventListener("keyup", onKeyUp);
    document.removeEventListener("keydown", onKey);
  };
  return () => root.off?.();
}

// A long list of which only the part near the window exists: rows are built as they come near and go when they are far.

/** Rows that are built together. */
const BLOCK = 40;
/** Windows above and below the visible one that are built, and those beyond which rows go. */
const AHEAD = 1.5;
const FAR = 5;
/** Where rows begin to be covered by the bar of the page, and a little below. */
const BAR = 90;

/** `build` makes the element of an item, `guess` its height in pixels before it was built; `moved` is told the topmost. */
export function longList({ build, guess, moved }) {
  const element = document.createElement("div");
  element.className = "long-list";
  let items = [];
  let blocks = [];

  const place = (block) => { block.element.style.height = `${block.height}px`; };
  const blockOf = (from) => {
    const part = document.createElement("div");
    part.className = "block";
    const block = { from, element: part, height: items.slice(from, from + BLOCK).reduce((sum, item) => sum + guess(item), 0), built: false };
    place(block);
    return block;
  };
  const buildBlock = (block) => {
    if (block.built) return;
    block.built = true;
    block.element.style.height = "";
    block.element.replaceChildren(...items.slice(block.from, block.from + BLOCK).map(build));
  };
  const dropBlock = (block) => {
    if (!block.built || block.element.contains(document.activeElement) || block.element.querySelector("details[open]")) return;
    block.height = block.element.offsetHeight;
    block.built = false;
    place(block);
    block.element.replaceChildren();
  };
  const topOf = (block) => block.element.getBoundingClientRect().top;
  const at = (y) => {
    let [low, high] = [0, blocks.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (topOf(blocks[middle]) <= y) low = middle;
      else high = middle - 1;
    }
    return low;
  };

  /** Builds what is near; what is visible stays where it is. */
  const update = () => {
    if (!blocks.length || !element.isConnected) return;
    const size = window.innerHeight;
    const [first, last] = [at(-AHEAD * size), at((1 + AHEAD) * size)];
    const visible = blocks[at(0)];
    const before = topOf(visible);
    const [nearFirst, nearLast] = [at(-FAR * size), at((1 + FAR) * size)];
    blocks.forEach((block, index) => { if (index < nearFirst || index > nearLast) dropBlock(block); });
    // What is visible first: the rest may move.
    for (let index = first; index <= last; index += 1) buildBlock(blocks[index]);
    const shifted = topOf(visible) - before;
    if (Math.abs(shifted) > 0.5 && before < 0) window.scrollBy({ top: shifted, behavior: "instant" });
    const top = blocks[at(BAR)];
    const row = [...top.element.children].findLastIndex((one) => one.getBoundingClientRect().top <= BAR);
    moved?.(items[top.from + Math.max(row, 0)]);
  };

  /** Shows other items. Those that are the same objects as before, from the start, are kept. */
  const set = (next) => {
    let same = 0;
    while (same < items.length && same < next.length && items[same] === next[same]) same += 1;
    const kept = Math.floor(same / BLOCK);
    items = next;
    for (const block of blocks.slice(kept)) block.element.remove();
    blocks = blocks.slice(0, kept);
    for (let from = kept * BLOCK; from < items.length; from += BLOCK) {
      const block = blockOf(from);
      blocks.push(block);
      element.append(block.element);
    }
    update();
  };

  /** Brings an item into the middle of the window; gives its element. */
  const reveal = (index) => {
    const block = blocks[Math.floor(index / BLOCK)];
    if (!block) return null;
    let found = null;
    // Rows around it are built with other heights than guessed.
    for (let round = 0; round < 4; round += 1) {
      buildBlock(block);
      found = block.element.children[index - block.from];
      found.scrollIntoView({ block: "center", behavior: "instant" });
      update();
    }
    return found;
  };

  window.addEventListener("scroll", update, { passive: true });
  window.addEventListener("resize", update);
  const leave = () => {
    window.removeEventListener("scroll", update);
    window.removeEventListener("resize", update);
  };
  return { element, set, update, reveal, leave, items: () => items };
}

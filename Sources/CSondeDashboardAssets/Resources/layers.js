// What lies over a view, such as a dialog: the browser's "Back" takes it away before it leaves the view.

/** How it is closed, and whether it has an entry of its own in the browser's history. @typedef {{ close: () => void, hasEntry: boolean }} Layer */

/** The topmost is the last. @type {Layer[]} */
const layers = [];

let isGoingBack = false;

/** Steps through the history take a while: the next one waits for it. @type {Promise<void>} */
let settled = Promise.resolve();

/** @param {() => void | Promise<void>} step */
function inTurn(step) {
  settled = settled.then(step);
}

/** @returns {Promise<void>} */
function goBack() {
  isGoingBack = true;
  return new Promise((resolve) => {
    addEventListener("popstate", () => resolve(), { once: true });
    history.back();
  });
}

/** Begins a layer, which "Back" closes. @param {() => void} close */
export function openLayer(close) {
  const layer = { close, hasEntry: false };
  layers.push(layer);
  inTurn(() => {
    layer.hasEntry = layers.includes(layer);
    if (layer.hasEntry) history.pushState(null, "");
  });
}

/** Ends a layer that was closed otherwise. @param {() => void} close */
export function closeLayer(close) {
  const index = layers.findIndex((layer) => layer.close === close);
  if (index < 0) return;
  const [layer] = layers.splice(index, 1);
  inTurn(() => (layer.hasEntry ? goBack() : undefined));
}

/**
 * Shows a dialog until it is closed; then it is taken away, and the focus goes back to where it was.
 * @param {HTMLDialogElement} dialog
 * @param {HTMLElement} first What has the focus in it.
 */
export function showDialog(dialog, first) {
  const before = document.activeElement;
  const close = () => dialog.close();
  dialog.addEventListener("close", () => {
    closeLayer(close);
    dialog.remove();
    if (before instanceof HTMLElement && before.isConnected) before.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
  openLayer(close);
  first.focus();
}

/** Whether anything lies over the view. */
export const hasLayers = () => layers.length > 0;

/** Whether a step through the history concerned a layer alone; it is then dealt with. */
export function stepsOverLayer() {
  if (isGoingBack) {
    isGoingBack = false;
    return true;
  }
  const layer = layers.pop();
  layer?.close();
  return layer !== undefined;
}

/** Closes all layers because the view goes. @returns {Promise<boolean>} Whether the entry of one of them is there to be used again. */
export async function endLayers() {
  await settled;
  const open = layers.splice(0);
  for (const { close } of open.toReversed()) close();
  return open.some(({ hasEntry }) => hasEntry);
}

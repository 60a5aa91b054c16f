// What is read while events tell of it: what was told after it was asked for may be newer than the answer.

/** Brings answers and events into one order, whichever of them is slower on its way. */
export class Reading {
  constructor() {
    /** What was told since each answer was asked for that is still awaited. @type {Set<(() => void)[]>} */
    this.awaited = new Set();
    this.asked = 0;
    this.shown = 0;
  }

  /** Takes what is told, and once more over each answer that was asked for before. @param {() => void} change */
  told(change) {
    for (const changes of this.awaited) changes.push(change);
    change();
  }

  /**
   * Asks, and shows the answer with what was told meanwhile, unless one that was asked for later is shown already.
   * @template Value
   * @param {() => Promise<Value>} ask
   * @param {(value: Value) => void} show
   */
  async read(ask, show) {
    const turn = (this.asked += 1);
    /** @type {(() => void)[]} */
    const changes = [];
    this.awaited.add(changes);
    try {
      const value = await ask();
      if (turn < this.shown) return;
      this.shown = turn;
      show(value);
    } finally {
      this.awaited.delete(changes);
    }
    for (const change of changes) change();
  }
}

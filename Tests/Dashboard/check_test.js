// What the page says of a text in its field agrees with the table of cases, which the server's check and `sonde check` are held to as well.

import { check } from "../../Sources/CSondeDashboardAssets/Resources/check.js";

const cases = JSON.parse(Deno.readTextFileSync(new URL("../Blackbox/check_cases.json", import.meta.url)));

Deno.test("the page's check agrees with the table of cases", () => {
  const differing = cases.flatMap((/** @type {any} */ { text, state, kind }) => {
    const [said, due] = [check(text), { state, kind }].map((each) => JSON.stringify(each));
    return said === due ? [] : [`${JSON.stringify(text)}: ${said}, not ${due}`];
  });
  if (differing.length) throw new Error(differing.join("\n"));
});

Deno.test("whatever is typed is judged, and soon", () => {
  const letters = "0123456789abcfx.:/-%[](),;*# \t\u00a0\u200b\ud800\uff18é\0";
  let seed = 1;
  const chance = (/** @type {number} */ most) => (seed = (seed * 48_271) % 2_147_483_647) % most;
  const start = performance.now();
  for (let round = 0; round < 20_000; round += 1) {
    const text = Array.from({ length: chance(46) }, () => letters[chance(letters.length)]).join("");
    const { state, kind } = check(text);
    if (!["empty", "invalid", "valid"].includes(state) || (state === "valid") !== Boolean(kind)) throw new Error(JSON.stringify(text));
  }
  if (performance.now() - start > 20_000) throw new Error("a text takes more than a millisecond");
});

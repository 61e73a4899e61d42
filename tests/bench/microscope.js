// Uses the microscope as a reader does, and tells the host after each step; the host measures (tests/bench/microscope.py).
const TWELVE = "小猫坐在窗台上，因为它累了。"; // 10 tokens and the two marks
const LONG =
  "昨天晚上下了一场大雨，今天早上路很滑，所以我没有骑车，而是坐地铁去公司上班。" +
  "The weather forecast says it will rain again tomorrow, so please take an umbrella and a coat with"; // 48 and the two marks
const find = (selector) => document.querySelector(selector);
const click = (selector) => () => find(selector).click();
const hide = (token) => click(`micro-scope [data-key="hide0.${token}"]`);
const type = (selector, text) => {
  const field = find(selector);
  field.value = text;
  field.dispatchEvent(new Event("input"));
};
const read = (text) => () => {
  type("micro-scope .sentence input", text);
  type("micro-scope .word input", "");
  find("micro-scope button.go").click();
};
const begin = (model, text) => () => {
  find(`next-word .seg button:nth-child(${model})`).click();
  type("next-word .row input", text);
  find("next-word button.go").click();
};

const STEPS = {
  "micro-scope": [
    ["Python, model, first sentence of 8 tokens", click("micro-scope button.go"), "≤ 8 s, ≤ 350 MB"],
    ["12 tokens, with their parts of the word table", read(TWELVE), "≤ 0.5 s"],
    ["a word hidden", hide(3), "≤ 0.5 s"],
    ["another word hidden", hide(4), "≤ 0.5 s"],
    ["48 tokens, with their parts", read(LONG), "≤ 1.5 s"],
    ...[5, 6, 7, 8, 9, 10].map((token) => ["a word hidden", hide(token), "≤ 1.5 s"]),
  ],
  "next-word": [
    ["Python, toy, first word", begin(1, "Thank you very"), ""],
    ["SmolLM2, first word after 3 tokens", begin(2, "Thank you very"), "≤ 6 s, ≤ 250 MB beyond Python"],
    ...[1, 2, 3, 4].map(() => ["the next word", click("next-word .next"), "≤ 0.8 s"]),
    ["another text of 32 tokens", begin(2, "When the sun went down over the hills, the old man sat on the porch of his house, looked at the road, and thought about the letter that"), ""],
  ],
};

const answered = (element) =>
  new Promise((then) => {
    const status = element.querySelector(".status");
    status.textContent = "";
    const watch = new MutationObserver(() => {
      if (!/\d (ms|毫秒)/.test(status.textContent)) return;
      watch.disconnect();
      then();
    });
    watch.observe(status, { childList: true });
  });

const drive = async () => {
  const name = location.hash.slice(1);
  await fetch("/mark");
  for (const [what, act, asked] of STEPS[name]) {
    const answer = answered(find(name));
    act();
    await answer;
    const { sentences, ids, likely, heap } = find(name).shown;
    const tokens = sentences ? sentences[0].ids.length : ids.length;
    const says = likely ? `${likely[0].text.trim()} ${(100 * likely[0].share).toFixed(1)} %` : `model ready in ${Math.round(find(name).opened)} ms`;
    await fetch(`/mark?${new URLSearchParams({ what, asked, tokens, says, heap })}`);
  }
  await fetch("/mark?end");
};
drive();

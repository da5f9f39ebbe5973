import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { sampleReport } from "../../../../../test/support/report/sampleReport.ts";
import { lineagePicture, placesOf } from "./lineagePicture.ts";
import { reportPage } from "./page.ts";

const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>' & \u202eevil\u0007 \${x}`;

describe("the page of a report", () => {
  const page = reportPage(sampleReport(hostile));

  it("shows every text of others as text", () => {
    assert.doesNotMatch(page, /<script|<img|\u202e|\u0007/);
    const shown =
      "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;&#39; &amp; ";
    assert.ok(page.split(shown).length > 30, "all the texts of the sample are there");
    // Without the tags that the page itself is made of, no tag is left.
    const tags = new Set([...page.matchAll(/<\/?([a-z][a-z0-9]*)/gi)].map(([, name]) => name));
    const own =
      "html head meta title style body header h1 p code main dl div dt dd section h2 ul li svg path circle text line table thead tr th tbody td a span article h3 h4";
    assert.deepEqual(
      [...tags].filter((name) => !own.split(" ").includes(name ?? "")),
      [],
    );
  });

  it("needs nothing from elsewhere: no script, no address but those within the page", () => {
    for (const [, value = ""] of page.matchAll(/\s(?:href|src|action|data|xlink:href)="([^"]*)"/g))
      assert.match(value, /^#version-/);
    assert.doesNotMatch(page, /<script|javascript:|@import|url\(|\son[a-z]+=(?=")|style="/);
  });

  it("allows its own style by its hash, and nothing else", () => {
    const [, style = ""] = /<style>([^]*?)<\/style>/.exec(page) ?? [];
    const hash = createHash("sha256").update(style).digest("base64");
    assert.ok(
      page.includes(
        `content="default-src &#39;none&#39;; style-src &#39;sha256-${hash}&#39;; base-uri &#39;none&#39;; form-action &#39;none&#39;"`,
      ),
    );
  });

  it("says beside the audit what it means for the score", () =>
    assert.match(
      page,
      /Sealed audit split: 40\.0 % \[30\.0, 50\.0\], 40 items, 7\.3 points below \[−19\.3, \+4\.6\], \? may overfit the selection split\./,
    ));

  it("has every part that a reader looks for", () => {
    const headings = [...page.matchAll(/<h2 id="[a-z]+">([^<]*)<\/h2>/g)].map(([, title]) => title);
    assert.deepEqual(headings, [
      "Before you trust this",
      "Lineage",
      "Decisions",
      "Selections",
      "What was sealed",
      "Calibration and procedure",
      "Who approved what",
      "Costs",
      "Proposers",
      "Evidence",
      "Versions of the tool and the specs",
    ]);
    assert.match(
      page,
      /\+10\.0 points \[\+5\.0, \+15\.0\].*at\s+97\.5 % confidence \(95 %, corrected for 2\s+candidates\)/s,
    );
    assert.match(page, /keep \(one seed, partly a claim\)/);
    assert.ok(page.includes("d".repeat(64)));
  });
});

describe("the picture of a lineage", () => {
  const { versions } = sampleReport("x");
  it("draws no line through a version that it does not come from", () => {
    const places = placesOf(versions);
    assert.deepEqual(
      places.map(({ lane }) => lane),
      [0, 0, 1, 2],
    );
  });
  it("is empty for no version, and keeps its width with very many lanes", () => {
    assert.equal(lineagePicture([]).text, "");
    const [base, first] = versions;
    assert.ok(base && first);
    const many = [base, ...Array.from({ length: 200 }, (_, i) => ({ ...first, name: `v${i + 1}` }))];
    const [, width = "9999"] = /width="(\d+)"/.exec(lineagePicture(many).text) ?? [];
    assert.ok(Number(width) < 800, width);
  });
});

/** A function shape of the generator. Parameters: n… is a number, s… a string; q… are local names. */
export interface Template {
  /** Verb part of the names that fit it. */
  readonly verbs: readonly string[];
  readonly parameters: readonly string[];
  readonly body: readonly string[];
}

const shape = (verbs: string, parameters: string, body: string): Template => ({
  verbs: verbs.split(" "),
  parameters: parameters.split(" "),
  body: body.split("; "),
});

export const templates: readonly Template[] = [
  shape("clamp limit", "n1 n2 n3", "if n1 < n2 : return n2; if n1 > n3 : return n3; return n1"),
  shape("remaining left", "n1 n2", "let q1 = n1 - n2; if q1 < 0 : return 0; return q1"),
  shape("larger best", "n1 n2", "if n1 > n2 : return n1; return n2"),
  shape("award grant", "n1 n2 n3", "if n1 >= n2 : return n3; return 0"),
  shape("middle mean", "n1 n2", "let q1 = n1 + n2; return q1 / 2"),
  shape("distance offset", "n1 n2", "let q1 = n1 - n2; return abs q1"),
  shape("level grade", "n1 n2 n3", "if n1 <= n2 : return 1; if n1 <= n3 : return 2; return 0"),
  shape("floor base", "n1 n2 n3", "let q1 = n1 min n2; return q1 + n3"),
  shape("double twice", "n1 n2", "let q1 = n1 * 2; return q1 - n2"),
  shape("net after", "n1 n2 n3", "let q1 = n1 - n2; let q2 = q1 - n3; return q2 max 0"),
  shape("excess extra", "n1 n2", "if n1 > n2 : return n1 - n2; return 0"),
  shape("discount reduce", "n1 n2", "let q1 = n1 * n2; let q2 = q1 / 100; return n1 - q2"),
  shape("label tag", "s1 s2", "let q1 = upper s1; return q1 ++ s2"),
  shape("initial mark", "s1 s2", "let q1 = first s1; return q1 ++ s2"),
  shape("shorten cut", "s1 n1", 'let q1 = s1 take n1; return q1 ++ ".."'),
  shape("slug key", "s1 n1", "let q1 = lower s1; return q1 take n1"),
  shape("suffix rest", "s1 n1 s2", "let q1 = s1 drop n1; return q1 ++ s2"),
  shape("fit pad", "s1 n1", "if len s1 <= n1 : return s1; return s1 take n1"),
];

export const topics =
  "invoice refund ticket parcel recipe seat voucher meter harvest lesson engine garden cinema wallet charter bakery ferry quota signal archive roster tariff pension sensor ledger museum orchard pantry tunnel vaccine".split(
    " ",
  );

export const fileNames =
  "core.mini pricing.mini stock.mini people.mini labels.mini report.mini routes.mini limits.mini store.mini format.mini rules.mini totals.mini".split(
    " ",
  );

export const numberNames =
  "amount count limit price rate start target weight bonus speed width level stock hours".split(" ");
export const textNames = "name word title city mark line note text".split(" ");
export const localNames = "part value rest base found item".split(" ");

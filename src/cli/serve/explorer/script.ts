/** The program of the page, as it runs in a browser. */
export const SCRIPT = String.raw`
const $ = (id) => document.getElementById(id);
const EXAMPLES = {
  "Unused licenses": "query UnusedLicenses {\n  licenses(first: 10, where: { state: { activity: { eq: UNUSED } } }) {\n    totalCount\n    nodes {\n      id\n      holder { name email }\n      plan { name }\n      annualPrice { amount currency }\n    }\n  }\n}",
  "Plans and renewals": "query Plans {\n  licensePlans(first: 10) {\n    nodes {\n      name\n      integration { name }\n      usageStats { total inUse { total } unused { total } }\n      pricingStats { annualCost currency }\n      contractDetails { renewal { upcomingDate { value } } }\n    }\n  }\n}",
  "Applications": "query Applications {\n  applications(first: 10) {\n    nodes { state lastUsed application { name category { name } } userCountStat { all } }\n  }\n}",
};

const key = new URLSearchParams(location.hash.slice(1)).get("key");
if (key) {
  sessionStorage.setItem("key", key);
  history.replaceState(null, "", location.pathname);
}
$("key").value = sessionStorage.getItem("key") ?? "";
$("query").value = sessionStorage.getItem("query") ?? EXAMPLES["Unused licenses"];
for (const name of Object.keys(EXAMPLES)) $("examples").append(new Option(name));
$("examples").onchange = () => {
  $("query").value = EXAMPLES[$("examples").value] ?? "";
};

async function send(body) {
  const response = await fetch("/graphql", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/graphql-response+json, application/json",
      authorization: $("key").value.trim(),
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

async function run() {
  sessionStorage.setItem("key", $("key").value.trim());
  sessionStorage.setItem("query", $("query").value);
  $("status").textContent = "…";
  try {
    const variables = $("variables").value.trim() === "" ? undefined : JSON.parse($("variables").value);
    const begun = performance.now();
    const { status, text } = await send({ query: $("query").value, variables });
    $("status").textContent = "HTTP " + status + " in " + Math.round(performance.now() - begun) + " ms";
    let shown = text;
    try {
      shown = JSON.stringify(JSON.parse(text), null, 2);
    } catch {}
    $("result").textContent = shown;
  } catch (error) {
    $("status").textContent = "";
    $("result").textContent = error instanceof SyntaxError ? "The variables are not valid JSON." : String(error);
  }
}

$("form").onsubmit = (event) => {
  event.preventDefault();
  void run();
};
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void run();
});
`;

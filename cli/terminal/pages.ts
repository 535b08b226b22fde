/** A page is loaded when it is asked for: all together are a fifth of what a command would load. */
type Texts = Readonly<Record<string, () => Promise<{ readonly default: unknown }>>>;

/** What `momo help PAGE` prints, as it is written. Messages name pages, because an executable brings no other documents. */
const PAGES: Texts = {
  agents: () => import("../../docs/agents.md", { with: { type: "text" } }),
  api: () => import("../../docs/api.md", { with: { type: "text" } }),
  audit: () => import("../../docs/audit.md", { with: { type: "text" } }),
  cli: () => import("../../docs/cli.md", { with: { type: "text" } }),
  console: () => import("../../docs/console.md", { with: { type: "text" } }),
  install: () => import("../../docs/install.md", { with: { type: "text" } }),
  intercept: () => import("../../docs/intercept.md", { with: { type: "text" } }),
  "llms.txt": () => import("../../docs/llms.txt", { with: { type: "text" } }),
  operations: () => import("../../docs/operations.md", { with: { type: "text" } }),
  readme: () => import("../../README.md", { with: { type: "text" } }),
  replicas: () => import("../../docs/replicas.md", { with: { type: "text" } }),
  security: () => import("../../SECURITY.md", { with: { type: "text" } }),
  shops: () => import("../../docs/shops.md", { with: { type: "text" } }),
  snapshots: () => import("../../docs/snapshots.md", { with: { type: "text" } }),
  steering: () => import("../../docs/steering.md", { with: { type: "text" } }),
  testing: () => import("../../docs/testing.md", { with: { type: "text" } }),
  webhooks: () => import("../../docs/webhooks.md", { with: { type: "text" } }),
};

/** The files that the pages link, printed in the same way: `momo help conftest.py > conftest.py`. */
const FILES: Texts = {
  "conftest.py": () => import("../../docs/examples/conftest.py", { with: { type: "text" } }),
  // @ts-expect-error: the compiler imports declarations as types only
  "client.d.mts": () => import("../../docs/examples/client.d.mts", { with: { type: "text" } }),
  "test_cancelled.py": () => import("../../docs/examples/test_cancelled.py", { with: { type: "text" } }),
  "test_shop.py": () => import("../../docs/examples/test_shop.py", { with: { type: "text" } }),
  "MomoTestCase.php": () => import("../../docs/examples/MomoTestCase.php", { with: { type: "text" } }),
  "ShopTest.php": () => import("../../docs/examples/ShopTest.php", { with: { type: "text" } }),
  "CancelledTest.php": () => import("../../docs/examples/CancelledTest.php", { with: { type: "text" } }),
  "test_snapshot.py": () => import("../../docs/examples/test_snapshot.py", { with: { type: "text" } }),
  "SnapshotTest.php": () => import("../../docs/examples/SnapshotTest.php", { with: { type: "text" } }),
  "cancelled_test.go": () => import("../../docs/examples/cancelled_test.go", { with: { type: "text" } }),
  "shop-express.mjs": () => import("../../docs/examples/shop-express.mjs", { with: { type: "text" } }),
  "shop-express.test.mjs": () => import("../../docs/examples/shop-express.test.mjs", { with: { type: "text" } }),
  "shop-express-wrong.mjs": () => import("../../docs/examples/shop-express-wrong.mjs", { with: { type: "text" } }),
  "shop-next.mjs": () => import("../../docs/examples/shop-next.mjs", { with: { type: "text" } }),
  "shop-next-wrong.mjs": () => import("../../docs/examples/shop-next-wrong.mjs", { with: { type: "text" } }),
  "shop.php": () => import("../../docs/examples/shop.php", { with: { type: "text" } }),
  "shop-wrong.php": () => import("../../docs/examples/shop-wrong.php", { with: { type: "text" } }),
  "shop.py": () => import("../../docs/examples/shop.py", { with: { type: "text" } }),
  "shop-wrong.py": () => import("../../docs/examples/shop-wrong.py", { with: { type: "text" } }),
  "table_store.py": () => import("../../docs/examples/table_store.py", { with: { type: "text" } }),
  "table-store.mjs": () => import("../../docs/examples/table-store.mjs", { with: { type: "text" } }),
  "table-store.php": () => import("../../docs/examples/table-store.php", { with: { type: "text" } }),
  "compose.yaml": () => import("../../docs/examples/compose.yaml", { with: { type: "text" } }),
  "github-services.yaml": () => import("../../docs/examples/github-services.yaml", { with: { type: "text" } }),
  "gitlab.yaml": () => import("../../docs/examples/gitlab.yaml", { with: { type: "text" } }),
  "testcontainers.mjs": () => import("../../docs/examples/testcontainers.mjs", { with: { type: "text" } }),
  "alerts.yml": () => import("../../docs/monitoring/alerts.yml", { with: { type: "text" } }),
  "dashboard.json": () => import("../../docs/monitoring/dashboard.json", { with: { type: "text" } }),
  "prometheus.yml": () => import("../../docs/monitoring/prometheus.yml", { with: { type: "text" } }),
};

export const PAGE_NAMES = Object.keys(PAGES);

export const isPage = (name: string): boolean => Object.hasOwn(PAGES, name) || Object.hasOwn(FILES, name);

/** @param name one for which {@link isPage} holds */
export async function pageText(name: string): Promise<string> {
  const page = await (PAGES[name] ?? FILES[name])?.();
  return String(page?.default);
}

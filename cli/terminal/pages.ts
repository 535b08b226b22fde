import agents from "../../docs/agents.md" with { type: "text" };
import api from "../../docs/api.md" with { type: "text" };
import audit from "../../docs/audit.md" with { type: "text" };
import cli from "../../docs/cli.md" with { type: "text" };
import console from "../../docs/console.md" with { type: "text" };
import phpTest from "../../docs/examples/CancelledTest.php" with { type: "text" };
import goTest from "../../docs/examples/cancelled_test.go" with { type: "text" };
import compose from "../../docs/examples/compose.yaml" with { type: "text" };
import pythonFixture from "../../docs/examples/conftest.py" with { type: "text" };
import github from "../../docs/examples/github-services.yaml" with { type: "text" };
import gitlab from "../../docs/examples/gitlab.yaml" with { type: "text" };
import phpSnapshot from "../../docs/examples/SnapshotTest.php" with { type: "text" };
import pythonTest from "../../docs/examples/test_cancelled.py" with { type: "text" };
import pythonSnapshot from "../../docs/examples/test_snapshot.py" with { type: "text" };
import testcontainers from "../../docs/examples/testcontainers.mjs" with { type: "text" };
import install from "../../docs/install.md" with { type: "text" };
import intercept from "../../docs/intercept.md" with { type: "text" };
import llms from "../../docs/llms.txt" with { type: "text" };
import alerts from "../../docs/monitoring/alerts.yml" with { type: "text" };
import dashboard from "../../docs/monitoring/dashboard.json" with { type: "text" };
import prometheus from "../../docs/monitoring/prometheus.yml" with { type: "text" };
import operations from "../../docs/operations.md" with { type: "text" };
import replicas from "../../docs/replicas.md" with { type: "text" };
import snapshots from "../../docs/snapshots.md" with { type: "text" };
import steering from "../../docs/steering.md" with { type: "text" };
import testing from "../../docs/testing.md" with { type: "text" };
import webhooks from "../../docs/webhooks.md" with { type: "text" };
import readme from "../../README.md" with { type: "text" };
import security from "../../SECURITY.md" with { type: "text" };

/** What `momo help PAGE` prints, as it is written. Messages name pages, because an executable brings no other documents. */
const PAGES: Readonly<Record<string, unknown>> = {
  agents,
  api,
  audit,
  cli,
  console,
  install,
  intercept,
  "llms.txt": llms,
  operations,
  readme,
  replicas,
  security,
  snapshots,
  steering,
  testing,
  webhooks,
};

/** The files that the pages link, printed in the same way: `momo help conftest.py > conftest.py`. */
const FILES: Readonly<Record<string, unknown>> = {
  "conftest.py": pythonFixture,
  "test_cancelled.py": pythonTest,
  "CancelledTest.php": phpTest,
  "test_snapshot.py": pythonSnapshot,
  "SnapshotTest.php": phpSnapshot,
  "cancelled_test.go": goTest,
  "compose.yaml": compose,
  "github-services.yaml": github,
  "gitlab.yaml": gitlab,
  "testcontainers.mjs": testcontainers,
  "alerts.yml": alerts,
  "dashboard.json": dashboard,
  "prometheus.yml": prometheus,
};

export const PAGE_NAMES = Object.keys(PAGES);

export const isPage = (name: string): boolean => Object.hasOwn(PAGES, name) || Object.hasOwn(FILES, name);

export const pageText = (name: string): string => String(PAGES[name] ?? FILES[name]);

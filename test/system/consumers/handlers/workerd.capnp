using Workerd = import "/workerd/workerd.capnp";

# `workerd serve workerd.capnp --control-fd=1`
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["private", "public"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);

const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "2026-01-01",
  compatibilityFlags = ["nodejs_compat"],
  bindings = [
    (name = "SAAS_MANAGEMENT_BASE_URL", fromEnvironment = "SAAS_MANAGEMENT_BASE_URL"),
    (name = "SAAS_MANAGEMENT_API_KEY", fromEnvironment = "SAAS_MANAGEMENT_API_KEY"),
  ],
);

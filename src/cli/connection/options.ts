import type { Command } from "commander";

/** Options of commands that reach the service. */
export interface ConnectionOptions {
  readonly profile?: string;
  readonly apiKeyFile?: string;
  readonly config?: string;
  readonly installation?: string;
}

export function addConnectionOptions(command: Command): Command {
  return command
    .option("--installation <id>", "installation that is meant (SAAS_MANAGEMENT_INSTALLATION_ID)")
    .option("--profile <name>", "read ~/.config/saas-management/<name>.env (default: default)")
    .option("--api-key-file <file>", "read the API key from a file; - is stdin")
    .option("--config <file>", "read this configuration (default: saas-management.config.ts, .js or .json)");
}

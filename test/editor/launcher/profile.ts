import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Keeps the workbench quiet and off the network. */
const quietSettings: Readonly<Record<string, unknown>> = {
  "chat.disableAIFeatures": true,
  "editor.cursorBlinking": "solid",
  "editor.lightbulb.enabled": "on",
  "editor.minimap.enabled": false,
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "git.autofetch": false,
  "git.openRepositoryInParentFolders": "never",
  "telemetry.telemetryLevel": "off",
  "typescript.disableAutomaticTypeAcquisition": true,
  "update.mode": "none",
  "window.confirmBeforeClose": "never",
  "workbench.enableExperiments": false,
  "workbench.reduceMotion": "on",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
};

/** Everything that an editor writes, in one temporary folder. */
export type Profile = {
  readonly folder: string;
  readonly userData: string;
  readonly extensions: string;
  readonly config: string;
  readonly remove: () => void;
};

export function createProfile(settings: Readonly<Record<string, unknown>> = {}): Profile {
  const folder = mkdtempSync(join(tmpdir(), "evotrainer-editor-"));
  const profile = {
    folder,
    userData: join(folder, "user"),
    extensions: join(folder, "extensions"),
    config: join(folder, "config.yaml"),
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
  for (const path of [join(profile.userData, "User"), profile.extensions, join(folder, "tmp")])
    mkdirSync(path, { recursive: true });
  writeFileSync(
    join(profile.userData, "User", "settings.json"),
    JSON.stringify({ ...quietSettings, ...settings }),
  );
  writeFileSync(profile.config, "");
  return profile;
}

/** A folder with these files, committed to a fresh repository. */
export function gitWorkspace(folder: string, files: Readonly<Record<string, string>>): string {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  const identity = [
    "-c",
    "user.name=Test",
    "-c",
    "user.email=test@example.invalid",
    "-c",
    "init.defaultBranch=main",
  ];
  const git = (...args: string[]) =>
    execFileSync("git", [...identity, ...args], { cwd: folder, stdio: "ignore" });
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "Start");
  return folder;
}

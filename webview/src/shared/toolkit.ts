import { provideVSCodeDesignSystem, vsCodeButton } from "@vscode/webview-ui-toolkit";

/**
 * A script of its own, which every page loads before that of its view, so that it is packaged once. The toolkit is no longer
 * developed: this is the one file that imports it, so that it can be swapped here.
 */
provideVSCodeDesignSystem().register(vsCodeButton());

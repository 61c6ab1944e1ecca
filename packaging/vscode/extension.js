// Starts `converge lsp` when a module is opened. Everything else is in that program.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = async () => {
  const command = workspace.getConfiguration("converge").get("path");
  const server = { command, args: ["lsp"] };
  client = new LanguageClient("converge", "Converge", server, { documentSelector: [{ language: "converge" }] });
  await client.start();
};

exports.deactivate = () => client?.stop();

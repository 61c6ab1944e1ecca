# expect: bad-plugin at 6:12 |"{{param `folder`}}/acme"| `source` of a plugin is a text that is known before anything is computed

param "folder" { default = "." }
plugin "acme" {
  sha256 = "0000000000000000000000000000000000000000000000000000000000000000"
  source = "{{param `folder`}}/acme"
}

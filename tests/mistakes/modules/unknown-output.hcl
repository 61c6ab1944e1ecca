# expect: unknown-output at 6:17 |module.start.output.titel| `module.start` has no output `titel`

module "lib/giving.hcl" "start" {}

file.content "after" {
  destination = module.start.output.titel
}

# expect: unknown-resource at 7:18 |"module.strat"| `depends` names `module.strat`, which does not exist

module "lib/page.hcl" "start" {}

file.content "after" {
  destination = "after.txt"
  depends     = ["module.strat"]
}

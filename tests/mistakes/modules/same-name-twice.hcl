# expect: duplicate-resource at 5:1 |module "lib/page.hcl" "start"| `module.start` is declared twice

module "lib/page.hcl" "start" {}

module "lib/page.hcl" "start" {}

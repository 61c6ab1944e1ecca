# expect: ? at 5:1 |module "lib/page.hcl" "start"| start

module "lib/page.hcl" "start" {}

module "lib/page.hcl" "start" {}

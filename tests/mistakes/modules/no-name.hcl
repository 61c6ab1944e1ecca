# expect: ? at 3:1 |module| name

module "lib/page.hcl" {}

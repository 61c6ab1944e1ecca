# expect: wrong-labels at 3:1 |module "lib/page.hcl"| its source or its name is missing

module "lib/page.hcl" {}

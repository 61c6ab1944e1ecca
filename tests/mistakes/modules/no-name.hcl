# expect: wrong-labels at 3:1 |module| its source or its name is missing

module "lib/page.hcl" {}

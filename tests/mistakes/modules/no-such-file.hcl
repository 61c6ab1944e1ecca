# expect: unreadable-file at 3:8 |"lib/pgae.hcl"| cannot read lib/pgae.hcl: there is no such file

module "lib/pgae.hcl" "start" {}

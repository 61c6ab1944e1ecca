# expect: unknown-argument at 4:3 |parms| a module takes no `parms`

module "lib/page.hcl" "start" {
  parms {
    name = "x"
  }
}

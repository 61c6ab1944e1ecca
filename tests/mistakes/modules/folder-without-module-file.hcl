# expect: no-module-file at 3:8 |"lib"| lib is a folder, and there is no `module.hcl` in it

module "lib" "library" {}

# expect: unknown-resource at 6:17 |module.start.title| lookup of `module.start.title`, which does not exist

module "lib/giving.hcl" "start" {}

file.content "after" {
  destination = module.start.title
}

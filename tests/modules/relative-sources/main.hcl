# A source is relative to the file that names it, not to where the command runs.

module "apps/shop/main.hcl" "shop" {}

module "./apps/blog/main.hcl" "blog" {
  params {
    title = "Blog"
  }
}

module "../../lib/page.hcl" "page" {
  params {
    name = "shop"
  }
}

module "parts/cart.hcl" "cart" {}

# expect: not-a-number at 5:12 |"http"| parameter `port` must be `number`

module "lib/typed.hcl" "start" {
  params {
    port = "http"
  }
}

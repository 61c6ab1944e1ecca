# expect: unexpected-param has no parameter `nmae`
# run: plan -p nmae=b

param "name" {
  default = "a"
}

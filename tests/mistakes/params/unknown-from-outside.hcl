# expect: ? nmae
# run: plan -p nmae=b

param "name" {
  default = "a"
}

# expect: wrong-labels at 3:1 |plugin| this `plugin` has no name

plugin {
  source = "./converge-plugin-acme"
  sha256 = "0000000000000000000000000000000000000000000000000000000000000000"
}

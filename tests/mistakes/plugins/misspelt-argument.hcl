# expect: unknown-argument at 6:3 |versoin| a plugin takes no `versoin`

plugin "acme" {
  source  = "./converge-plugin-acme"
  sha256  = "0000000000000000000000000000000000000000000000000000000000000000"
  versoin = "1.0.0"
}

# Given with --params-file.
service = {
  port = 443
  name = "shop"
  tls  = true
}

labels = {
  "team.example" = "store"
  tier           = "front \"end\""
}

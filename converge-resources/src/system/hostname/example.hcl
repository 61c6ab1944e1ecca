# What the machine calls itself, and what people call it.

param "live" {
  default = true
}

system.hostname "machine" {
  name   = "db1.example.org"
  pretty = "The database of the shop"
  live   = param.live
}

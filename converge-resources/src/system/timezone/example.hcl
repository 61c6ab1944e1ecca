# All machines tell the time of one place.

param "zone" {
  default = "UTC"
}

system.timezone "ours" {
  name = param.zone
}

# Machines are spread over the mirrors that there are.

param "destination" {
  default = "/etc/example-mirror"
}

random.choice "mirror" {
  from = ["https://a.mirror.example", "https://b.mirror.example"]
}

file.content "mirror" {
  destination = param.destination
  mode        = "0644"
  content     = format("%s\n", random.choice.mirror.value)
}

# What a machine is called by whoever counts it.

param "destination" {
  default = "/etc/example-id"
}

random.uuid "machine" {}

file.content "id" {
  destination = param.destination
  mode        = "0644"
  content     = format("%s\n", random.uuid.machine.value)
}

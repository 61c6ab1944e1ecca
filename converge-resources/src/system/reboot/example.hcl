# A package asks for a boot by a file; what needs the new kernel comes behind it.

param "file" {
  default = "/run/reboot-required"
}

system.reboot "kernel" {
  message          = "a new kernel is installed"
  when_file_exists = param.file
}

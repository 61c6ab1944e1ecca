# A network device that leads nowhere, of which the module makes two, now and after each boot; and no speaker that beeps.

system.kernel_module "dummy" {
  name       = "dummy"
  parameters = { numdummies = "2" }
}

system.kernel_module "beep" {
  name        = "pcspkr"
  state       = "absent"
  blacklisted = true
}

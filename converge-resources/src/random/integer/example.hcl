# A nightly job, at a minute that differs from machine to machine.

random.integer "minute" {
  min = 0
  max = 59
}

cron.job "tidy" {
  name    = "tidy up"
  file    = "converge-random"
  user    = "root"
  minute  = tostring(random.integer.minute.value)
  hour    = "3"
  command = "true"
}

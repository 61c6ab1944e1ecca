# People read German, and dates are as in Britain.

param "lang" {
  default = "de_DE.UTF-8"
}

system.locale "ours" {
  name       = [param.lang, "en_GB.UTF-8"]
  lang       = param.lang
  categories = { LC_TIME = "en_GB.UTF-8" }
}

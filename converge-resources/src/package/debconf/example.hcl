# How Postfix is set up, and by which name mail goes out: it is installed behind these, and asks nothing.

param "mailname" {
  default = "mail.example.org"
}

package.debconf "mailer" {
  name     = "postfix"
  question = "postfix/main_mailer_type"
  type     = "select"
  value    = "Internet Site"
}

package.debconf "mailname" {
  name     = "postfix"
  question = "postfix/mailname"
  type     = "string"
  value    = param.mailname
}

/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import io.forebay.access.LoginDelay;
import io.forebay.access.Passwords;
import io.forebay.access.Users;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.service.progress.Unavailable;
import io.forebay.system.StoredUser;
import io.forebay.text.WholeText;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AuthenticationServiceException;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authentication.InternalAuthenticationServiceException;
import org.springframework.security.authentication.dao.DaoAuthenticationProvider;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UsernameNotFoundException;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.web.authentication.WebAuthenticationDetails;

/**
 * Checks the password of a user of the admin page. Who has to wait costs neither a query nor a
 * hash. A login is in the audit before it takes effect, and counts only if the user still has the
 * password when it was checked.
 */
final class PasswordLogin extends DaoAuthenticationProvider {

  private static final Duration FIRST_PASSWORD = Duration.ofDays(7);

  private final Users users;
  private final LoginDelay delay;
  private final Audit audit;

  PasswordLogin(
      Users users, Passwords passwords, LoginDelay delay, Audit audit, Duration lifetime) {
    super(name ->
        Optional.of(name)
            .filter(WholeText::is) // a database may refuse others
            .flatMap(users::find)
            .filter(user -> user.name().equals(name)) // databases may ignore blanks at the end
            .filter(PasswordLogin::isInTime)
            .map(user -> Account.ofPassword(user, Instant.now().plus(lifetime)))
            .orElseThrow(() -> new UsernameNotFoundException("no such user")));
    setPasswordEncoder(new Hashes(passwords));
    this.users = users;
    this.delay = delay;
    this.audit = audit;
  }

  /** A password that an administrator set must be changed soon; the first one has no other way. */
  private static boolean isInTime(StoredUser user) {
    return !user.mustChange()
        || user.createdBy().equals(Actor.SYSTEM.name())
        || Instant.now().isBefore(user.createdAt().plus(FIRST_PASSWORD));
  }

  @Override
  public Authentication authenticate(Authentication login) {
    if (!Passwords.mayBe(String.valueOf(login.getCredentials()))) {
      // for every name alike; without a hash it would be a cheap way to fill the memory of failures
      throw new BadCredentialsException("no user has such a password");
    }
    try {
      return delay.attempt(address(login), login.getName(), () -> super.authenticate(login));
    } catch (InternalAuthenticationServiceException | Unavailable e) {
      // Spring would log an internal one with its stack trace, each time.
      throw new AuthenticationServiceException("the system database is unavailable", e);
    }
  }

  /** Not a bean: it would check the passwords of the application, too. */
  private record Hashes(Passwords passwords) implements PasswordEncoder {

    @Override
    public String encode(@Nullable CharSequence password) {
      return passwords.encode(password);
    }

    @Override
    public boolean matches(@Nullable CharSequence password, @Nullable String hash) {
      return passwords.matches(password, hash);
    }
  }

  private static String address(Authentication login) {
    return ((WebAuthenticationDetails) Objects.requireNonNull(login.getDetails()))
        .getRemoteAddress();
  }

  @Override
  protected Authentication createSuccessAuthentication(
      Object principal, Authentication login, UserDetails found) {
    Account account = (Account) found;
    if (!users.isCurrent(account.user())) {
      users.refresh();
      if (!users.isCurrent(account.user())) {
        throw new BadCredentialsException("the password was changed meanwhile");
      }
    }
    CallerAuthentication caller = account.login(users);
    audit.record(
        Audit.Entry.allowed(caller.actor(address(login)), "session.login", caller.getName(), ""));
    return caller;
  }
}

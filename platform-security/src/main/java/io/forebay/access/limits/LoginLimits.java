/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access.limits;

import io.forebay.access.TokenText;
import io.forebay.access.TooManyLogins;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Limits guesses of passwords by address and by account. An attempt counts as a failure from its
 * beginning until it succeeds, so that parallel guesses are no more than others.
 *
 * <p>Others who guess at an account must not lock its user out. So an account has {@value
 * #NETWORKS} times the free failures of an address and a fraction of its longest pause: fewer
 * networks that guess without end leave times, at least once a minute, in which a right password
 * from another network is accepted. More networks may leave none; no limit of guesses from
 * everywhere can prevent that. Then a network from which the account has logged in since this
 * process began is limited as an address only. Thread-safe; it uses neither the database nor a
 * hash.
 */
public final class LoginLimits {

  /** How many pairs of a network and an account are remembered. */
  static final int KNOWN = 10_000;

  /** How many networks must guess to keep away a user who comes from another one. */
  private static final int NETWORKS = 5;

  private final BackOff addresses;
  private final BackOff accounts;
  private final Map<String, Boolean> known =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
          return size() > KNOWN;
        }
      };

  /**
   * @param free how many wrong passwords an address may send before it has to wait
   */
  public LoginLimits(int free, InstantSource clock) {
    addresses = new BackOff(free, clock);
    accounts = new BackOff(NETWORKS * free, BackOff.LONGEST.dividedBy(NETWORKS), clock);
  }

  /**
   * Begins an attempt.
   *
   * @param account the name that was sent, whether or not it exists
   * @throws TooManyLogins if the address or the account has to wait; the password must not be
   *     checked
   */
  public Attempt begin(String address, String account) {
    Duration pause = addresses.failed(address);
    if (!pause.isZero()) {
      throw new TooManyLogins(pause, "Too many wrong passwords came from this address");
    }
    // Its hash is no address and has the same length whatever was sent.
    String name = TokenText.hash(account);
    String pair = ClientNetwork.of(address) + " " + name;
    boolean counted = !isKnown(pair);
    pause = counted ? accounts.failed(name) : Duration.ZERO;
    if (!pause.isZero()) {
      addresses.undoButWait(address); // so that few networks cannot try in each moment
      throw new TooManyLogins(pause, "Too many wrong passwords were sent for this user");
    }
    return new Attempt(address, name, pair, counted);
  }

  private boolean isKnown(String pair) {
    synchronized (known) {
      return known.get(pair) != null;
    }
  }

  /** An attempt whose password may be checked. */
  public final class Attempt {

    private final String address;
    private final String name;
    private final String pair;
    private final boolean counted;

    private Attempt(String address, String name, String pair, boolean counted) {
      this.address = address;
      this.name = name;
      this.pair = pair;
      this.counted = counted;
    }

    /** The password was right. */
    public void succeeded() {
      undo();
      synchronized (known) {
        known.put(pair, true);
      }
    }

    /** The password was not checked. */
    public void undo() {
      addresses.undo(address);
      if (counted) {
        accounts.undo(name);
      }
    }
  }
}

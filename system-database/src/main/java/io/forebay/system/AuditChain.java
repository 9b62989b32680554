/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.operations.Audit.Check;
import io.forebay.operations.Audit.Damage;
import io.forebay.operations.Audit.Finding;
import io.forebay.operations.Audit.Link;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Checks the chain of audit entries. Each has a number and a hash over itself and the hash before
 * it. An entry that says which ones expired is written before these are deleted, so a kill between
 * both leaves entries too many, which the next deletion takes, and never too few. Not thread-safe.
 */
final class AuditChain {

  /** The action of the entries that say what expired. */
  static final String EXPIRE = "audit.expire";

  private static final Pattern EXPIRED = Pattern.compile("entries to ([0-9]{1,18})");
  private static final Pattern HASH = Pattern.compile("hash ([0-9a-f]{64})");
  private static final int PAGE = 5_000;
  private static final int MOST_FINDINGS = 100;

  /** How often a check begins again because entries expired meanwhile. */
  private static final int TRIES = 3;

  private final SystemDatabase database;
  private final Link known;
  private final List<Finding> findings = new ArrayList<>();
  private Link expired = Link.NONE;
  private Link last = Link.NONE;
  private long entries;

  private AuditChain(SystemDatabase database, Link known) {
    this.database = database;
    this.known = known;
  }

  /** What the entry says that is written before older ones are deleted. */
  static Audit.Entry expiry(Link last) {
    return Audit.Entry.allowed(
        Actor.SYSTEM, EXPIRE, "entries to " + last.number(), "hash " + last.hash());
  }

  /**
   * @param last the newest entry that was read; the last expired one if there are no others
   */
  record Checked(Check check, Link last) {}

  /**
   * @param known an entry that this instance wrote or read before
   */
  static Checked check(SystemDatabase database, Link known) {
    AuditChain chain = new AuditChain(database, known);
    Check check = chain.check();
    for (int i = 1; i < TRIES && !check.isIntact() && chain.hasExpired(); i++) {
      chain = new AuditChain(database, known);
      check = chain.check();
    }
    return new Checked(check, chain.last);
  }

  private boolean hasExpired() {
    return !expired(database).equals(expired);
  }

  private Check check() {
    expired = expired(database);
    last = expired;
    if (known.number() == expired.number() && !known.equals(expired)) {
      find(known.number(), known.number(), Damage.REPLACED);
    }
    List<Numbered> page;
    do {
      page = page(last.number());
      for (Numbered each : page) {
        check(each, last);
        last = each.link();
      }
    } while (page.size() == PAGE);
    if (known.number() > last.number()) {
      find(last.number() + 1, known.number(), Damage.MISSING);
    }
    return new Check(expired.number() + 1, last.number(), entries, unnumbered(), findings);
  }

  private void check(Numbered each, Link before) {
    Link link = each.link();
    entries++;
    boolean follows = link.number() == before.number() + 1;
    if (!follows) {
      find(before.number() + 1, link.number() - 1, Damage.MISSING);
    } else if (!each.row().after(before).equals(link)) {
      find(link.number(), link.number(), Damage.CHANGED);
    }
    if (link.number() == known.number() && !link.equals(known)) {
      find(link.number(), link.number(), Damage.REPLACED);
    }
  }

  private void find(long from, long to, Damage damage) {
    if (findings.size() < MOST_FINDINGS) {
      findings.add(new Finding(from, to, damage));
    }
  }

  /** An entry with its place in the chain. */
  record Numbered(AuditRow row, Link link) {}

  private List<Numbered> page(long after) {
    return database.ask(ask ->
        ask.sql(
                "select chain_number, chain_hash, "
                    + AuditRow.COLUMNS
                    + " from forebay.audit where chain_number > ?"
                    + " order by chain_number fetch first "
                    + PAGE
                    + " rows only")
            .param(after)
            .query((row, _) ->
                new Numbered(
                    AuditRow.read(row),
                    link(row.getLong("chain_number"), row.getBytes("chain_hash"))))
            .list());
  }

  /**
   * @param hash null if somebody removed it; then it fits no entry
   */
  static Link link(long number, byte @Nullable [] hash) {
    return new Link(number, hash == null ? "" : HexFormat.of().formatHex(hash));
  }

  /**
   * The last entry that the retention deleted by right; none if it deleted none yet. Of two
   * instances, the one that deletes more may be the first to say so. An entry that says that it
   * expired itself is ignored. So the entry that says so is always checked too, and whoever changes
   * it has to compute hashes.
   */
  static Link expired(SystemDatabase database) {
    return database
        .ask(ask ->
            ask.sql(
                    "select chain_number, target, reason from forebay.audit where action = ?"
                        + " and actor_kind = ? and chain_number is not null")
                .param(EXPIRE)
                .param(Actor.Kind.SYSTEM.text())
                .query((row, _) ->
                    expired(
                        row.getLong("chain_number"),
                        row.getString("target"),
                        row.getString("reason")))
                .list())
        .stream()
        .max(Comparator.comparingLong(Link::number))
        .orElse(Link.NONE);
  }

  private static Link expired(long by, String target, String reason) {
    Matcher number = EXPIRED.matcher(target);
    Matcher hash = HASH.matcher(reason);
    if (number.matches() && hash.matches()) {
      Link expired = new Link(Long.parseLong(number.group(1)), hash.group(1));
      if (expired.number() < by) {
        return expired;
      }
    }
    return Link.NONE;
  }

  private long unnumbered() {
    return database.ask(ask ->
        ask.sql(
                "select count(*) from forebay.audit where chain_number is null and id >"
                    + " (select min(id) from forebay.audit where chain_number is not null)")
            .query((row, _) -> row.getLong(1))
            .single());
  }
}

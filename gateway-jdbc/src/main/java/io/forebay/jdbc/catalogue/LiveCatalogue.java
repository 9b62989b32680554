/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.StatementCatalogue;
import io.forebay.operations.Audit;
import io.forebay.service.progress.Unavailable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The active catalogue. Thread-safe.
 *
 * <p>It does not depend on the gateways, so that they can use it from their first batch on.
 */
public final class LiveCatalogue implements StatementCatalogue {

  private static final Logger log = LoggerFactory.getLogger(LiveCatalogue.class);

  private static final int CHECKS_UNTIL_BROKEN = 20;

  private final CatalogueFiles files;

  /** Gateways whose databases may refuse statements that passed the last check. */
  private final Set<String> suspected = ConcurrentHashMap.newKeySet();

  private @Nullable Set<String> lanes;
  private long checks;
  private volatile Catalogue current = new Catalogue(List.of(), Map.of());

  public LiveCatalogue(CatalogueFiles files) {
    this.files = files;
  }

  public Catalogue current() {
    return current;
  }

  @Override
  public CatalogueEntry find(String gateway, String reference) {
    return current.find(gateway, reference);
  }

  /** Schedules a check if the statement caused the error, and not its arguments. */
  @Override
  public void failed(String gateway, String sql, SqlFailure failure) {
    if (failure.kind() == SqlFailure.Kind.STATEMENT) {
      suspected.add(gateway);
    }
  }

  @Override
  public @Nullable Known known(String gateway, String text) {
    return current.known(gateway, text);
  }

  @Override
  public String reference(String name) {
    Catalogue now = current;
    CatalogueEntry entry = now.find(name);
    if (entry == null) {
      throw new IllegalArgumentException(
          "the catalogue has no statement %s (it has %,d statements)"
              .formatted(name, now.entries().size()));
    }
    if (now.failure(entry) != null) {
      throw new IllegalArgumentException(
          "the database refused to prepare statement %s; the log of the server has the reason"
              .formatted(name));
    }
    return entry.reference();
  }

  /**
   * Reads the catalogue at the start. The databases check it later.
   *
   * @param services of all lanes; null to accept each name of a lane
   * @throws CatalogueInvalid if it has errors
   */
  public synchronized void load(List<String> gateways, @Nullable Set<String> services) {
    lanes = services;
    current = files.read(gateways, lanes);
    log.info("Catalogue read: {} statements ({})", current.entries().size(), files.describe());
  }

  /**
   * Reloads the catalogue; the databases that respond check it.
   *
   * @param first gets what changes before that takes effect; if it throws, the previous catalogue
   *     stays active
   * @throws CatalogueInvalid if it has errors, statements that a database refuses, or another text
   *     for a version to which messages may refer; the previous catalogue stays active
   */
  public synchronized Catalogue reload(Gateways gateways, Consumer<Audit.Change> first) {
    Catalogue next = files.read(gateways.names(), lanes);
    List<CatalogueViolation> changed = changed(next, gateways);
    if (!changed.isEmpty()) {
      throw new CatalogueInvalid(changed);
    }
    for (String gateway : gateways.names()) {
      next = ask(next, gateway, gateways);
    }
    List<CatalogueViolation> refused = refused(next);
    if (!refused.isEmpty()) {
      throw new CatalogueInvalid(refused);
    }
    first.accept(current.changes(next));
    tell(current, next);
    current = next;
    log.info("Catalogue reloaded: {} statements", next.entries().size());
    return next;
  }

  /**
   * Finds changed versions: waiting messages that refer to them would be refused or have another
   * effect.
   */
  private List<CatalogueViolation> changed(Catalogue next, Gateways gateways) {
    List<CatalogueViolation> violations = new ArrayList<>();
    for (CatalogueEntry before : current.all()) {
      if (gateways.acceptsText(before.gateway())) {
        continue;
      }
      CatalogueEntry now = next.find(before.name(), before.version());
      if (now != null && !now.reference().equals(before.reference())) {
        violations.add(
            new CatalogueViolation(
                now.place(),
                now.name(),
                "version %d has another text or other parameters than before; give it another version, because waiting messages may refer to this one"
                    .formatted(now.version())));
      }
    }
    return violations;
  }

  private static List<CatalogueViolation> refused(Catalogue catalogue) {
    List<CatalogueViolation> violations = new ArrayList<>();
    for (CatalogueEntry entry : catalogue.all()) {
      SqlFailure failure = catalogue.failure(entry);
      if (failure != null) {
        violations.add(
            new CatalogueViolation(
                entry.place(),
                entry.name(),
                "the database refuses it (SQLState %s, %s)"
                    .formatted(failure.sqlState(), failure.words(null))));
      }
    }
    return violations;
  }

  /**
   * Checks the statements of databases that have not been checked yet; each time after some calls
   * also those of databases with broken or suspected statements, because a change in the database
   * may repair them. To be called from time to time.
   */
  public synchronized void check(Gateways gateways) {
    checks++;
    boolean brokenToo = checks % CHECKS_UNTIL_BROKEN == 0;
    for (String gateway : gateways.names()) {
      boolean broken =
          current.of(gateway).stream().anyMatch(entry -> current.failure(entry) != null);
      boolean doubtful = broken || suspected.contains(gateway);
      if (!current.isChecked(gateway) || (doubtful && brokenToo)) {
        Catalogue before = current;
        boolean suspect = suspected.remove(gateway);
        current = ask(before, gateway, gateways);
        if (suspect && current == before) {
          suspected.add(gateway); // the database did not respond
        }
        tell(before, current);
      }
    }
  }

  private static Catalogue ask(Catalogue catalogue, String gateway, Gateways gateways) {
    List<String> texts = catalogue.of(gateway).stream().map(CatalogueEntry::sql).toList();
    try {
      return catalogue.checked(
          gateway, texts.isEmpty() ? Map.of() : gateways.failures(gateway, texts));
    } catch (Unavailable e) {
      log.debug("Statements of gateway {} not checked yet: {}", gateway, e.getMessage());
      return catalogue;
    }
  }

  /**
   * The first line of the database's message, without the statement text that HSQLDB adds. The
   * check uses no arguments.
   */
  private static String words(SqlFailure failure) {
    return failure.message().lines().findFirst().orElse("").split(" in statement \\[", 2)[0];
  }

  /** Logs newly broken statements and those that work again. */
  private static void tell(Catalogue before, Catalogue now) {
    for (CatalogueEntry entry : now.all()) {
      SqlFailure failure = now.failure(entry);
      if (failure != null && before.failure(entry) == null) {
        log.warn(
            "{}: statement {} is broken: the database refuses it (SQLState {}, {}); the door"
                + " refuses it until the database accepts it",
            entry.place(),
            entry.name(),
            failure.sqlState(),
            words(failure));
      } else if (failure == null && before.failure(entry) != null) {
        log.info("statement {} is no longer broken", entry.name());
      }
    }
  }
}

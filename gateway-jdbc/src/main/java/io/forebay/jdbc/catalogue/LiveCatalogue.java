/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import io.forebay.jdbc.IndependentStatements;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.StatementCatalogue;
import io.forebay.service.progress.Unavailable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The catalogue that holds now. Thread-safe.
 *
 * <p>It knows no gateway of its own, so that the gateways can ask it from their first batch on.
 */
public final class LiveCatalogue implements IndependentStatements, StatementCatalogue {

  /** What has to be known of gateways. */
  interface Check {
    /**
     * Asks the database of a gateway whether it would perform these texts.
     *
     * @throws Unavailable if it does not answer
     */
    Map<String, SqlFailure> failures(String gateway, Collection<String> sqlTexts);

    /** Whether messages carry the texts, and not only references. */
    boolean acceptsText(String gateway);
  }

  private static final Logger log = LoggerFactory.getLogger(LiveCatalogue.class);

  private final CatalogueFiles files;

  /** Gateways whose databases would perhaps not perform what they would at the last check. */
  private final Set<String> suspected = ConcurrentHashMap.newKeySet();

  private volatile CheckedCatalogue current = CheckedCatalogue.unchecked(Catalogue.EMPTY);

  public LiveCatalogue(CatalogueFiles files) {
    this.files = files;
  }

  public CheckedCatalogue current() {
    return current;
  }

  @Override
  public boolean isIndependent(String gateway, String sql) {
    return current.catalogue().isIndependent(gateway, sql);
  }

  @Override
  public CatalogueEntry find(String gateway, String reference) {
    return current.catalogue().find(gateway, reference);
  }

  /** A statement that is to blame, and not its arguments, is looked at by the next check. */
  @Override
  public void failed(String gateway, String sql, SqlFailure failure) {
    if (failure.kind() == SqlFailure.Kind.STATEMENT) {
      suspected.add(gateway);
    }
  }

  @Override
  public @Nullable String nameOf(String gateway, String sql) {
    CatalogueEntry entry = current.catalogue().withText(gateway, sql);
    return entry == null ? null : entry.name();
  }

  /**
   * Reads the catalogue of the start; the databases are asked later.
   *
   * @throws CatalogueInvalid if anything is wrong in it
   */
  public synchronized void load(List<String> gateways) {
    current = CheckedCatalogue.unchecked(files.read(gateways));
    log.info(
        "the catalogue has {} statements ({})",
        current.catalogue().entries().size(),
        files.describe());
  }

  /**
   * Reads the catalogue anew and asks the databases that answer.
   *
   * @throws CatalogueInvalid if anything is wrong in it, if it has statements that a database would
   *     not perform, or another text for a version that messages may name; the former one holds on
   */
  public synchronized CheckedCatalogue reload(List<String> gateways, Check check) {
    CheckedCatalogue next = CheckedCatalogue.unchecked(files.read(gateways));
    List<Violation> changed = changed(next.catalogue(), check);
    if (!changed.isEmpty()) {
      throw new CatalogueInvalid(changed);
    }
    for (String gateway : gateways) {
      next = ask(next, gateway, check);
    }
    if (!next.broken().isEmpty()) {
      throw new CatalogueInvalid(violations(next));
    }
    current = next;
    log.info(
        "the catalogue was read anew; it has {} statements", next.catalogue().entries().size());
    return next;
  }

  /** Messages on their way, which name a version, would be refused, or do something else. */
  private List<Violation> changed(Catalogue next, Check check) {
    List<Violation> violations = new ArrayList<>();
    for (CatalogueEntry before : current.catalogue().all()) {
      if (check.acceptsText(before.gateway())) {
        continue;
      }
      CatalogueEntry now = next.find(before.name(), before.version());
      if (now != null && !now.reference().equals(before.reference())) {
        violations.add(
            new Violation(
                now.place(),
                now.name(),
                "version %d has another text or other parameters than before; give it another version, since messages that name this one may be waiting"
                    .formatted(now.version())));
      }
    }
    return violations;
  }

  private static List<Violation> violations(CheckedCatalogue catalogue) {
    List<Violation> violations = new ArrayList<>();
    for (CatalogueEntry entry : catalogue.catalogue().all()) {
      SqlFailure failure = catalogue.broken().get(entry.reference());
      if (failure != null) {
        violations.add(
            new Violation(
                entry.place(),
                entry.name(),
                "the database would not perform it (SQLState %s)".formatted(failure.sqlState())));
      }
    }
    return violations;
  }

  /**
   * Asks the databases that were not asked yet, and once more those that would not perform
   * something, or did not.
   *
   * @param brokenToo whether it is time to ask once more
   */
  synchronized void check(List<String> gateways, Check check, boolean brokenToo) {
    for (String gateway : gateways) {
      boolean broken =
          current.catalogue().of(gateway).stream().anyMatch(entry -> current.isBroken(entry));
      boolean doubtful = broken || suspected.contains(gateway);
      if (!current.checked().contains(gateway) || (doubtful && brokenToo)) {
        CheckedCatalogue before = current;
        boolean suspect = suspected.remove(gateway);
        current = ask(before, gateway, check);
        if (suspect && current == before) {
          suspected.add(gateway); // it did not answer
        }
        tell(before, current);
      }
    }
  }

  private static CheckedCatalogue ask(CheckedCatalogue catalogue, String gateway, Check check) {
    List<String> texts =
        catalogue.catalogue().of(gateway).stream().map(CatalogueEntry::sql).toList();
    try {
      return catalogue.with(gateway, texts.isEmpty() ? Map.of() : check.failures(gateway, texts));
    } catch (Unavailable e) {
      log.debug("the statements of gateway {} are not checked yet: {}", gateway, e.getMessage());
      return catalogue;
    }
  }

  /** What the database said of a text without arguments; HSQLDB repeats the text. */
  private static String words(SqlFailure failure) {
    return failure.message().lines().findFirst().orElse("").split(" in statement \\[", 2)[0];
  }

  /** Logs what is broken now and was not before, and what works again. */
  private static void tell(CheckedCatalogue before, CheckedCatalogue now) {
    for (CatalogueEntry entry : now.catalogue().all()) {
      SqlFailure failure = now.broken().get(entry.reference());
      if (failure != null && !before.isBroken(entry)) {
        log.warn(
            "{}: statement {} is broken: the database would not perform it (SQLState {}, {}); it is refused until it does",
            entry.place(),
            entry.name(),
            failure.sqlState(),
            words(failure));
      } else if (failure == null && before.isBroken(entry)) {
        log.info("statement {} is no longer broken", entry.name());
      }
    }
  }
}

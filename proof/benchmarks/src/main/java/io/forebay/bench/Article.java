/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.Results.Cell;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/**
 * A publication whose measurements are repeated here.
 *
 * @param title its title
 * @param source who published it
 * @param benchmarks those that repeat its measurements
 * @param tables its figures beside those measured here
 */
record Article(String title, String source, List<String> benchmarks, List<Comparison> tables) {

  /** All, in the order of the page. */
  static List<Article> all() {
    return List.of(
        BurstArticle.article(),
        TailArticle.article(),
        LettersArticle.article(),
        IngestArticle.article(),
        PipelineArticle.article());
  }

  /**
   * @param columns the headings
   */
  record Comparison(String caption, List<String> columns, List<Row> rows) {}

  /**
   * @param cells one for each column but the first
   */
  record Row(String what, List<Cell> cells) {

    static Row of(String what, Cell... cells) {
      return new Row(what, List.of(cells));
    }

    /**
     * A row with the same figure of several contenders.
     *
     * @param theirs the figure of the publication
     */
    static Row of(String what, String theirs, Function<String, Cell> figure, String... contenders) {
      List<Cell> cells = new ArrayList<>(List.of(Cell.of(theirs)));
      Arrays.stream(contenders).map(figure).forEach(cells::add);
      return new Row(what, cells);
    }
  }
}

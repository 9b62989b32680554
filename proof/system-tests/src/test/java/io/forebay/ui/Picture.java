/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.ui;

import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.List;

/**
 * Compares two pictures, at half their size, by the mean colours of squares. Edges of letters
 * differ from machine to machine and hardly change a mean; another colour, a moved or missing part
 * changes many.
 *
 * @param different the squares whose means differ, each by its left upper corner
 * @param squares how many there are
 * @param drawn the kept picture, the seen one, and where they differ, side by side
 */
record Picture(List<String> different, int squares, BufferedImage drawn) {

  private static final int SIDE = 8;

  /** By how much of 255 the mean of red, green or blue may differ. */
  private static final int ALIKE = 8;

  /** One in so many squares may differ. */
  private static final int ONE_IN = 500;

  /** A picture of half the width and height, for less to keep. */
  static BufferedImage half(BufferedImage full) {
    BufferedImage half =
        new BufferedImage(full.getWidth() / 2, full.getHeight() / 2, BufferedImage.TYPE_INT_RGB);
    for (int y = 0; y < half.getHeight(); y++) {
      for (int x = 0; x < half.getWidth(); x++) {
        double[] mean = mean(full, 2 * x, 2 * y, 2);
        half.setRGB(x, y, (int) mean[0] << 16 | (int) mean[1] << 8 | (int) mean[2]);
      }
    }
    return half;
  }

  /** Both have the same size. */
  static Picture compare(BufferedImage kept, BufferedImage seen) {
    int width = kept.getWidth();
    BufferedImage drawn =
        new BufferedImage(3 * width, kept.getHeight(), BufferedImage.TYPE_INT_RGB);
    Graphics2D pen = drawn.createGraphics();
    pen.drawImage(kept, 0, 0, null);
    pen.drawImage(seen, width, 0, null);
    pen.setColor(Color.RED);
    List<String> different = new ArrayList<>();
    int squares = 0;
    for (int y = 0; y < kept.getHeight(); y += SIDE) {
      for (int x = 0; x < width; x += SIDE) {
        squares++;
        if (!alike(mean(kept, x, y, SIDE), mean(seen, x, y, SIDE))) {
          different.add(x + "," + y);
          pen.fillRect(2 * width + x, y, SIDE, SIDE);
        }
      }
    }
    pen.dispose();
    return new Picture(different, squares, drawn);
  }

  int allowed() {
    return squares / ONE_IN;
  }

  boolean isAlike() {
    return different.size() <= allowed();
  }

  private static boolean alike(double[] one, double[] other) {
    for (int i = 0; i < one.length; i++) {
      if (Math.abs(one[i] - other[i]) > ALIKE) {
        return false;
      }
    }
    return true;
  }

  /** Red, green and blue. */
  private static double[] mean(BufferedImage image, int left, int top, int side) {
    int right = Math.min(left + side, image.getWidth());
    int bottom = Math.min(top + side, image.getHeight());
    double[] sum = new double[3];
    for (int y = top; y < bottom; y++) {
      for (int x = left; x < right; x++) {
        int colour = image.getRGB(x, y);
        sum[0] += colour >> 16 & 0xff;
        sum[1] += colour >> 8 & 0xff;
        sum[2] += colour & 0xff;
      }
    }
    int pixels = (right - left) * (bottom - top);
    return new double[] {sum[0] / pixels, sum[1] / pixels, sum[2] / pixels};
  }
}

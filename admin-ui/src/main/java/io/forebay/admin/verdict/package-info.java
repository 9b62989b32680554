/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** What the samples of services mean to an operator: problems, and the sentences that name them. */
@NullMarked
package io.forebay.admin.verdict;

import org.jspecify.annotations.NullMarked;
